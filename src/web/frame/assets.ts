import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A file that pages load: its address changes with its content, so that browsers may keep it for good. */
export interface Asset {
  readonly path: string;
  readonly type: string;
  readonly bytes: Buffer;
}

function asset(name: string, type: string, parts: readonly string[] = [name]): Asset {
  const bytes = Buffer.concat(parts.map((part) => readFileSync(join(import.meta.dirname, '..', 'assets', part))));
  const [stem, suffix] = name.split('.');
  return { path: `/-/assets/${stem}-${hash('sha256', bytes, 'hex').slice(0, 16)}.${suffix}`, type, bytes };
}

export const stylesheet = asset('hearth.css', 'text/css; charset=utf-8', [
  'hearth.css',
  'forms.css',
  'review.css',
  'planning.css',
  'ci.css',
]);
export const script = asset('hearth.js', 'text/javascript; charset=utf-8');
export const assets: readonly Asset[] = [stylesheet, script];
