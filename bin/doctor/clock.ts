import { type Finding, failed, ok, warning } from './finding.ts';

/** A reference time: from another clock, or from something that happened earlier. */
export interface Witness {
  name: string;
  at: Date;
  /** A clock shows the present; a trace, such as a file's date, only a past time. */
  kind: 'clock' | 'trace';
}

const tolerance = 5000;
const advice = 'Set the clock of this machine (NTP): tokens expire, and jobs start, by it.';

/** The clock must not be behind anything it has already seen, nor differ from the clocks it works with. */
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
