export { closestName, helpText, OptionError, type Options, type OptionTable, readOptions } from './options.ts';
