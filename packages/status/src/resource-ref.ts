/** The resource that an error is about. */
export interface ResourceRef {
  readonly group: string;
  /** plural name, as in the URL */
  readonly resource: string;
}

/** The name of a resource in messages: `configmaps`, `widgets.example.com`. */
export function groupResourceName(ref: ResourceRef): string {
  return ref.group === '' ? ref.resource : `${ref.resource}.${ref.group}`;
}
