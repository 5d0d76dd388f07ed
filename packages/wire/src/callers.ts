/** The health of a service may be read by every other service. */
const ANY_SERVICE = ['gateway', 'store', 'watch', 'health'];

/**
 * The services that may call a method, by the names in their certificates. A method that is missing here may not be
 * called by any of them.
 */
export const callers: Readonly<Record<string, readonly string[]>> = {
  '/tidegate.store.v1.Store/Session': ['gateway'],
  '/tidegate.store.v1.Store/List': ['gateway', 'watch'],
  '/tidegate.store.v1.Store/ReadLog': ['gateway', 'watch'],
  '/tidegate.store.v1.Store/FollowLog': ['watch'],
  '/tidegate.store.v1.Store/DeleteCorrupt': ['gateway'],
  '/tidegate.store.v1.Store/Digest': ['watch'],
  '/tidegate.store.v1.Store/Head': ['gateway', 'watch'],
  '/tidegate.watch.v1.Watch/Follow': ['gateway'],
  '/tidegate.watch.v1.Watch/List': ['gateway'],
  '/tidegate.health.v1.Health/Checks': ['health'],
  '/grpc.health.v1.Health/Check': ANY_SERVICE,
  '/grpc.health.v1.Health/Watch': ANY_SERVICE,
};
