export { type ClusterAccess, clusterAccessOf, readClusterAccess } from './cluster-access.ts';
