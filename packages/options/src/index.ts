export {
  closestName,
  helpText,
  OptionError,
  type Options,
  type OptionTable,
  readOptions,
  splitOperands,
  variableOf,
} from './options.ts';
