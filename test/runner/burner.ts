/**
 * Keeps one core busy. It ends when it is killed, when the process that started it is gone, and at the latest after the
 * seconds that it is given: nobody has to look for it.
 */
const lifetimeMs = Number(process.argv[2]) * 1000;
const begun = performance.now();
const parent = process.ppid;
while (performance.now() - begun < lifetimeMs && process.ppid === parent);
