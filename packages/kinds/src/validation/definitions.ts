import { checkDefinition } from '../custom/definition-rules.ts';
import { label1035, oneOf, required, subdomain } from './checks.ts';
import { type Check, type RuleTable, unchecked } from './rules.ts';

const apiService: Check = (object) => {
  const spec = object.field('spec');
  const wanted = `${spec.field('version').text}.${spec.field('group').text}`;
  const name = object.field('metadata.name');
  const [group, version] = [spec.field('group'), spec.field('version')];
  if (group.text === '' && version.text !== 'v1') {
    group.required('only v1 may have an empty group and it better be legacy kube');
  }
  const unsafe = spec.field('insecureSkipTLSVerify');
  if (unsafe.value === true && spec.object.service === undefined) {
    unsafe.invalid('local APIServices may not have insecureSkipTLSVerify');
  }
  if (unsafe.value === true && !spec.field('caBundle').isEmpty)
    unsafe.invalid('may not be true if caBundle is present');
  const bundle = spec.field('caBundle');
  if (!bundle.isEmpty && spec.object.service === undefined) {
    bundle.invalid('local APIServices may not have a caBundle', `${Buffer.from(bundle.text, 'base64').length} bytes`);
  }
  if (name.text !== wanted) name.invalid(`must be \`spec.version+"."+spec.group\`: ${JSON.stringify(wanted)}`);
};

export const definitionRules: RuleTable = {
  'apiextensions.v1.CustomResourceDefinition': { '': checkDefinition },
  'apiextensions.v1.CustomResourceDefinitionSpec': {
    group: [required(), subdomain],
    scope: [required(), oneOf('Cluster', 'Namespaced')],
  },
  'apiextensions.v1.CustomResourceDefinitionNames': {
    plural: [required(), label1035],
    kind: required(),
  },
  'apiextensions.v1.CustomResourceValidation': { openAPIV3Schema: unchecked },
  'apiregistration.v1.APIService': { '': apiService },
};
