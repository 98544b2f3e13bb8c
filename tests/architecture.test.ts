import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { describe, it } from 'node:test';

const root = join(import.meta.dirname, '..');
const files = globSync('src/**/*.ts', { cwd: root });

/** What each source file imports, type imports aside: those leave no trace at run time and cannot make a circle. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  const statements = text.matchAll(/^(?:import|export)\s+(?!type\b)[^;]*?from\s+'(\.[^']+)'/gms);
  return [...statements].map((match) => normalize(join(dirname(file), match[1] as string)));
}

const graph = new Map(files.map((file) => [file, importsOf(file)]));

/** The floor of the house a file lives on: it may import from its own and those below. */
function floor(file: string): number {
  if (file.startsWith('src/platform/') || file.startsWith('src/config')) return 0;
  if (file.startsWith('src/access/')) return 1;
  if (file.startsWith('src/areas/')) return 2;
  return 3;
}

const areaOf = (file: string) => /^src\/areas\/([^/]+)\//.exec(file)?.[1];

describe('the house', () => {
  it('has arrows that run one way: areas -> access -> platform', () => {
    const upward = [...graph].flatMap(([file, targets]) =>
      targets.filter((target) => floor(target) > floor(file)).map((target) => `${file} -> ${target}`),
    );
    // The list of migrations is data for the migrator, and migrations know the platform alone.
    assert.deepEqual(
      upward.filter((arrow) => !arrow.startsWith('src/migrations/')),
      [],
    );
  });

  it('lets an area use another only through what its service or schema exports', () => {
    const inward = [...graph].flatMap(([file, targets]) =>
      targets
        .filter(
          (target) => areaOf(target) !== undefined && areaOf(file) !== undefined && areaOf(target) !== areaOf(file),
        )
        .filter((target) => !/\/(service|schema|present)\.ts$/.test(target))
        .map((target) => `${file} -> ${target}`),
    );
    assert.deepEqual(inward, []);
  });

  it('has no circles', () => {
    const done = new Set<string>();
    const visit = (file: string, path: readonly string[]): void => {
      const start = path.indexOf(file);
      assert.equal(start, -1, `a circle: ${[...path.slice(Math.max(start, 0)), file].join(' -> ')}`);
      if (done.has(file)) return;
      for (const target of graph.get(file) ?? []) visit(target, [...path, file]);
      done.add(file);
    };
    for (const file of graph.keys()) visit(file, []);
  });

  it('starts git in one module, and reaches the network through egress alone', () => {
    const using = (pattern: RegExp) =>
      files.filter((file) => pattern.test(readFileSync(join(root, file), 'utf8'))).map((file) => relative('src', file));
    assert.deepEqual(
      using(/from 'node:child_process'/).filter((file) => !file.startsWith('platform/git/')),
      [],
    );
    assert.deepEqual(
      using(/from 'undici'|\bfetch\(\s*['"`]?http/).filter((file) => !file.startsWith('platform/egress/')),
      [],
    );
  });
});
