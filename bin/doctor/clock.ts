import { type Finding, failed, ok, warning } from './finding.ts';

/** An instant that another clock, or an earlier moment, vouches for. */
export interface Witness {
  name: string;
  at: Date;
  /** A clock shows the present; a trace, such as a file's date, only something past. */
  kind: 'clock' | 'trace';
}

const tolerance = 5000;
const advice = 'Set the clock of this machine (NTP): tokens expire, and jobs start, by it.';

/** The clock must not run behind what it already witnessed, nor apart from the clocks it works with. */
export function checkClock(now: Date, witnesses: readonly Witness[]): Finding {
  for (const { name, at, kind } of witnesses) {
    const ahead = at.getTime() - now.getTime();
    const seconds = Math.round(Math.abs(ahead) / 1000);
    if (kind === 'trace' && ahead > tolerance) {
      return failed('clock', `${now.toISOString()} is ${seconds} s before ${name}`, advice);
    }
    if (kind === 'clock' && Math.abs(ahead) > tolerance) {
      return warning('clock', `${seconds} s apart from ${name}`, advice);
    }
  }
  return ok('clock', now.toISOString());
}
