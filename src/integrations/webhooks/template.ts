/** The filled-in template is not valid JSON. */
export class UnusableTemplate extends Error {
  override readonly name = 'UnusableTemplate';
}

/**
 * Fills a custom webhook template: `{{project.name}}` is replaced by the value at that path of the payload, inside or
 * outside a JSON string.
 */
export function fillTemplate(template: string, payload: unknown, most: number): unknown {
  let length = template.length;
  const filled = template.replace(/\{\{([^{}]*)\}\}/g, (_, path: string) => {
    const value = written(valueAt(payload, path.trim()));
    // A template of a few kilobytes can repeat a long value hundreds of times.
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
  // The template already has the quotes around a string.
  return typeof value === 'string' ? json.slice(1, -1) : json;
}
