/** The text is invalid. Any other error while it is read is a bug of the reader. */
export class YamlError extends Error {
  override readonly name = 'YamlError';
}
