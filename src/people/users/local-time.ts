/** The clock on the wall of a time zone, as `3:38 PM`; null without a zone, or with one that nobody knows. */
export function localTime(zone: string | null, now = new Date()): string | null {
  if (!zone) return null;
  try {
    const clock = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hour: 'numeric',
      minute: '2-digit',
      hour12: true,
    });
    return clock.format(now).replaceAll('\u202f', ' ');
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
