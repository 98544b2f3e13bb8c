const units: readonly (readonly [number, string])[] = [
  [31_536_000, 'year'],
  [2_592_000, 'month'],
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
];

function ago(at: number): string {
  const seconds = Math.round((Date.now() - at) / 1000);
  const unit = units.find(([length]) => Math.abs(seconds) >= length);
  if (!unit) return 'just now';
  const [length, name] = unit;
  const count = Math.floor(Math.abs(seconds) / length);
  const text = `${count} ${name}${count === 1 ? '' : 's'}`;
  return seconds >= 0 ? `${text} ago` : `in ${text}`;
}

/** Keeps relative times current, and shows exact times in the user's time zone. */
function refresh(): void {
  for (const time of document.querySelectorAll('time[datetime]')) {
    const at = Date.parse(time.getAttribute('datetime') ?? '');
    if (Number.isNaN(at)) continue;
    time.setAttribute('title', new Date(at).toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'long' }));
    const text = ago(at);
    if (time.textContent !== text) time.textContent = text;
  }
}

document.addEventListener('turbo:load', refresh);
setInterval(refresh, 30_000);
