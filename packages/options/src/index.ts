export {
  closestName,
  helpText,
  OptionError,
  type Options,
  type OptionTable,
  readOptions,
  splitOperands,
} from './options.ts';
