import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** An asset. Its URL contains a content hash, so that browsers may cache it forever. */
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

/** Concatenates all stylesheets; the shared one comes first, so that others can override it. */
function styles(): string {
  const names = readdirSync(join(folder, 'assets')).filter((name) => name.endsWith('.css') && name !== 'hearth.css');
  return ['hearth.css', ...names.sort()].map((name) => read('assets', name)).join('\n');
}

/**
 * Strips types, without Node's warning that the feature is experimental, which the administrator can do nothing about.
 */
function withoutTypes(text: string): string {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(text);
  } finally {
    process.emitWarning = emitWarning;
  }
}

/**
 * Turbo without the inline style of its progress bar, which the content security policy forbids; our stylesheet
 * contains it.
 */
function turbo(): string {
  const file = createRequire(import.meta.url).resolve('@hotwired/turbo/dist/turbo.es2017-umd.js');
  return readFileSync(file, 'utf8').replace(/^ +this\.installStylesheetElement\(\);$/m, '');
}

/**
 * Bundles Turbo, the stylesheet and our modules, each in its own scope, so that a page takes two requests. Without
 * scripts, the page links the stylesheet.
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

/** Built on the first request for a page, to keep the server's start fast. */
export function assets(): ReturnType<typeof build> {
  built ??= build();
  return built;
}
