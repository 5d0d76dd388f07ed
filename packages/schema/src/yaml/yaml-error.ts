/** What is wrong with a text. Any other error while it is read is a fault of the reader. */
export class YamlError extends Error {
  override readonly name = 'YamlError';
}
