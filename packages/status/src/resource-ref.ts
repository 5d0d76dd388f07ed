/** What an error says about the resource it concerns. */
export interface ResourceRef {
  readonly group: string;
  /** plural name, as in the URL */
  readonly resource: string;
}

/** `configmaps`, `widgets.example.com`: how messages name a resource. */
export function groupResourceName(ref: ResourceRef): string {
  return ref.group === '' ? ref.resource : `${ref.resource}.${ref.group}`;
}
