import { Admission } from '../admission/admission.ts';
import { Configurations } from '../admission/configurations.ts';
import { serviceRanges } from '../allocation/service-allocator.ts';
import { collectGarbage, LargeSteps } from '../limits/large-steps.ts';
import { Plugins } from '../plugins/plugins.ts';
import { CountedCommits } from '../quota/counted-commits.ts';
import { Commits } from '../writing/commits.ts';
import { Writer } from '../writing/writer.ts';
import type { Access } from './access.ts';
import type { Data } from './data.ts';
import type { Given } from './given.ts';

export type Writing = ReturnType<typeof composeWriting>;

/** Admission, quotas, and the writer. */
export function composeWriting({ config, metrics }: Given, data: Data, { authorizer }: Access) {
  const { mirrors, registry, objects, recent, collections, conversions, store, webhooks, live } = data;
  const plugins = new Plugins({ mirrors, lookups: { objects, collections, registry, authorizer } }, config);
  const configurations = new Configurations(mirrors, registry, plugins);
  live.add(...configurations.views, ...plugins.followed);
  const admission = new Admission(configurations, {
    registry,
    store,
    objects,
    collections,
    conversions,
    authorizer,
    webhooks,
    metrics,
  });
  const commits = new Commits({ store, live });
  const isOn = plugins.isOn('ResourceQuota');
  const quotas = new CountedCommits({ commits, objects, collections, registry, isOn });
  const largeSteps = new LargeSteps({ collectGarbage });
  const writer = new Writer({
    registry,
    objects,
    recent,
    collections,
    conversions,
    admission,
    plugins,
    authorizer,
    quotas,
    commits,
    largeSteps,
    ranges: serviceRanges(config),
  });
  return {
    writer,
    admission,
    configurations,
    largeSteps,
    start() {
      configurations.start();
      plugins.start();
    },
  };
}
