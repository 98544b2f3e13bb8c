const dayLength = 86_400_000;
const minuteLength = 60_000;
/** Years after 9999 have more digits. */
const end = Date.UTC(10_000);

const digits = (value: number, places: number) => String(value).padStart(places, '0');
const minutes = Array.from({ length: 1440 }, (_, at) => `${digits(Math.floor(at / 60), 2)}:${digits(at % 60, 2)}:`);
const seconds = Array.from({ length: 60 }, (_, at) => `${digits(at, 2)}.`);
const milliseconds = Array.from({ length: 1000 }, (_, at) => `${digits(at, 3)}Z`);

const maxDays = 5000;
const days = new Map<number, string>();

/** `2024-01-31T`, by the number of the day since 1970. */
function dayText(day: number): string {
  let text = days.get(day);
  if (text === undefined) {
    text = new Date(day * dayLength).toISOString().slice(0, 11);
    if (days.size >= maxDays) days.clear();
    days.set(day, text);
  }
  return text;
}

/**
 * Formats milliseconds like `Date`. A page has hundreds of instants, and assembling them from cached parts takes a
 * fifth of the time.
 */
export function instantText(ms: number): string {
  if (!(ms >= 0 && ms < end)) return new Date(ms).toISOString();
  const day = Math.floor(ms / dayLength);
  const within = Math.floor(ms - day * dayLength);
  const minute = Math.floor(within / minuteLength);
  const rest = within - minute * minuteLength;
  const second = Math.floor(rest / 1000);
  return `${dayText(day)}${minutes[minute]}${seconds[second]}${milliseconds[rest - second * 1000]}`;
}
