import type { JsonObject, OpenApiOptions } from '@tidegate/schema';

type Words = Readonly<Record<string, string>>;

/** What every object has. */
const OF_OBJECTS: Words = {
  apiVersion: 'APIVersion defines the group and the version in which this object is written.',
  kind: 'Kind is what sort of object this is.',
  metadata: "Standard object's metadata: its name, its labels, and what the server keeps of it.",
};

const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

/** What metadata of every object says. */
const OF_META: Words = {
  annotations: 'Annotations hold what programs note about the object. They are not for selecting.',
  creationTimestamp: 'CreationTimestamp is a timestamp of when the server made the object.',
  deletionGracePeriodSeconds: 'How many seconds the object has from the request to delete it until it may be removed.',
  deletionTimestamp: 'DeletionTimestamp is the time from which the object may be removed; it is being deleted.',
  finalizers: 'Who must have let go of the object before it is removed.',
  generateName: 'GenerateName begins the name that the server makes up where there is none.',
  generation: 'A number that grows with each change of what is wanted of the object.',
  labels: 'Labels tell objects apart, and select them.',
  managedFields: 'Who has set which fields, by which way and when.',
  name: 'Name is unique in its namespace among objects of one kind, and never changes.',
  namespace: 'Namespace in which the object is, and where its name is unique.',
  ownerReferences: 'On whom the object depends: once all of them are gone, it is deleted.',
  resourceVersion: 'The version of this state of the object: to be compared for equality, and to watch from.',
  selfLink: 'A path to the object that is not filled in any more.',
  uid: 'UID tells the object apart from all that ever had its name.',
};

/** A type with what is to be said of its fields. */
export function withDescriptions(
  name: string,
  type: JsonObject,
  { isObject, version }: { isObject: boolean; version: OpenApiOptions['version'] },
): JsonObject {
  if (name === OBJECT_META) {
    const described = { ...type, description: "Standard object's metadata, as every object has it." };
    return { ...described, properties: worded(type.properties as JsonObject, OF_META, version) };
  }
  if (!isObject || type.properties === undefined) return type;
  return { ...type, properties: worded(type.properties as JsonObject, OF_OBJECTS, version) };
}

function worded(properties: JsonObject, words: Words, version: OpenApiOptions['version']): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => {
      const description = Object.hasOwn(words, name) ? words[name] : undefined;
      return [
        name,
        description === undefined
          ? property
          : { description, ...(version === 2 ? (property as JsonObject) : alone(property as JsonObject)) },
      ];
    }),
  );
}

/** Beside a reference nothing is read in version 3. */
function alone(property: JsonObject): JsonObject {
  const { $ref, ...rest } = property;
  return $ref === undefined ? property : { ...rest, allOf: [{ $ref }] };
}
