import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** A file that pages load: its address changes with its content, so that browsers may keep it for good. */
export interface Asset {
  readonly path: string;
  readonly type: string;
  readonly bytes: Buffer;
  readonly compressed: Buffer;
}

const folder = join(import.meta.dirname, '..');
const read = (...path: string[]) => readFileSync(join(folder, ...path), 'utf8');

function asset(stem: string, suffix: string, type: string, text: string): Asset {
  const bytes = Buffer.from(text);
  const path = `/-/assets/${stem}-${hash('sha256', bytes, 'hex').slice(0, 16)}.${suffix}`;
  return { path, type: `${type}; charset=utf-8`, bytes, compressed: gzipSync(bytes, { level: 9 }) };
}

/** Every stylesheet of the folder in one; what all pages share comes first, so that the others can build on it. */
function styles(): string {
  const names = readdirSync(join(folder, 'assets')).filter((name) => name.endsWith('.css') && name !== 'hearth.css');
  return ['hearth.css', ...names.sort()].map((name) => read('assets', name)).join('\n');
}

/** Takes the types off, without the note that doing so is new in Node: whoever starts the server can do nothing about it. */
function withoutTypes(text: string): string {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(text);
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Turbo without the style that it would put into pages for its bar, which the content policy forbids: ours has it. */
function turbo(): string {
  const file = createRequire(import.meta.url).resolve('@hotwired/turbo/dist/turbo.es2017-umd.js');
  return readFileSync(file, 'utf8').replace(/^ +this\.installStylesheetElement\(\);$/m, '');
}

/**
 * One script, so that a page costs two requests: Turbo, the stylesheet, and our modules, each in a scope of its own.
 * Where scripts run, the stylesheet comes with it; where they do not, the page links it.
 */
function scripts(css: string): string {
  const sheet = `{const sheet = new CSSStyleSheet(); sheet.replaceSync(${JSON.stringify(css)}); document.adoptedStyleSheets = [sheet];}`;
  const names = readdirSync(join(folder, 'scripts')).filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'));
  const modules = names.sort().map((name) => `{${withoutTypes(read('scripts', name))}}`);
  return ['"use strict";', sheet, turbo(), ...modules].join('\n');
}

function build(): Readonly<Record<'stylesheet' | 'script', Asset>> {
  const css = styles();
  return {
    stylesheet: asset('hearth', 'css', 'text/css', css),
    script: asset('hearth', 'js', 'text/javascript', scripts(css)),
  };
}

let built: ReturnType<typeof build> | undefined;

/** Made for the first page that is asked for: a start does not wait for it. */
export function assets(): ReturnType<typeof build> {
  built ??= build();
  return built;
}
