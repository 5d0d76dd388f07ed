/** Where this project judges a case of the corpus otherwise than kube-apiserver, and why. */
export const KNOWN_DIFFERENCES: Readonly<Record<string, string>> = {};
