export { Address, parseAddress, parseLenientAddress } from './address.ts';
export { Network, parseLenientNetwork, parseNetwork } from './network.ts';
export { carriedBy, isSpecial, type Special, specialsOf, unmapped } from './special.ts';
