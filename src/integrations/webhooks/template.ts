/** The template, filled in, is no JSON. */
export class UnusableTemplate extends Error {
  override readonly name = 'UnusableTemplate';
}

/**
 * The body that somebody wants instead of ours: `{{project.name}}` stands for the value at that place of the payload, inside
 * the quotes of a text or outside of them.
 */
export function fillTemplate(template: string, payload: unknown, most: number): unknown {
  let length = template.length;
  const filled = template.replace(/\{\{([^{}]*)\}\}/g, (_, path: string) => {
    const value = written(valueAt(payload, path.trim()));
    // A few kilobytes can ask for a long value hundreds of times.
    length += value.length;
    if (length > most) throw new UnusableTemplate('Webhook payload is too large');
    return value;
  });
  try {
    return JSON.parse(filled);
  } catch (cause) {
    throw new UnusableTemplate('Error while parsing rendered custom webhook template', { cause });
  }
}

function valueAt(payload: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, key)) return undefined;
    return (value as Record<string, unknown>)[key];
  }, payload);
}

function written(value: unknown): string {
  if (value === undefined) return '';
  const json = JSON.stringify(value);
  // A template has its own quotes around a text.
  return typeof value === 'string' ? json.slice(1, -1) : json;
}
