/**
 * Keeps one core busy. It ends when it is killed, when its parent process ends, or after the given number of seconds,
 * so it never has to be cleaned up.
 */
const lifetimeMs = Number(process.argv[2]) * 1000;
const begun = performance.now();
const parent = process.ppid;
while (performance.now() - begun < lifetimeMs && process.ppid === parent);
