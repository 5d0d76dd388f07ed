// Loaded into every part by --import: SIGUSR2 moves the clock one hour forward, the next SIGUSR2 back again.
const real = Date.now;
const HOUR_MS = 3_600_000;
let shiftMs = 0;
process.on('SIGUSR2', () => {
  shiftMs = shiftMs === 0 ? HOUR_MS : 0;
});
Date.now = () => real() + shiftMs;
const RealDate = Date;
globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(real() + shiftMs);
    else super(...given);
  }
};
