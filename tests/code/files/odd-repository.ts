import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GitClient } from '../../support/git-client.ts';

/** A commit of another repository, for the submodule. */
export const foreign = '1234567890abcdef1234567890abcdef12345678';

/** A repository with unusual files, each with its own last commit. */
export async function oddRepository(): Promise<GitClient> {
  const source = new GitClient();
  await source.init();
  await source.commit({ 'README.md': '# Hello\n', 'old.txt': 'one\ntwo\nthree\n' }, 'first');
  const files: Record<string, string | Buffer> = {
    empty: '',
    'crlf.txt': 'a\r\nb\r\n',
    'bom.txt': '\ufeffx\n',
    'no-newline': 'end',
    'binary.bin': Buffer.from(Array.from({ length: 3000 }, (_, i) => (i * 7) % 256)),
    'latin1.txt': Buffer.from('caf\xe9\n', 'latin1'),
    [`${'deep/'.repeat(60)}file`]: 'deep\n',
    'with space/é "q" 100%.txt': 'odd\n',
    '*': 'star\n',
    '[x]': 'bracket\n',
    '-rf': 'dash\n',
    '123.json': '{}\n',
    'tab\there': 'tab\n',
    'dir/page.html': '<script>alert(1)</script>\n',
    'dir/app.xhtml': '<html/>\n',
    'dir/vector.svg': '<svg onload="alert(1)"/>\n',
    'dir/picture.dat': Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
  };
  for (const [path, content] of Object.entries(files)) await source.commit({ [path]: content }, `add ${path}`);
  mkdirSync(join(source.folder, 'bin'));
  writeFileSync(join(source.folder, 'bin/run.sh'), '#!/bin/sh\n');
  chmodSync(join(source.folder, 'bin/run.sh'), 0o755);
  symlinkSync('README.md', join(source.folder, 'link'));
  writeFileSync(Buffer.concat([Buffer.from(`${source.folder}/bad-`), Buffer.from([0xe9])]), 'bad name\n');
  await source.commit({}, 'add odd ones');
  await source.git('update-index', '--add', '--cacheinfo', `160000,${foreign},vendor/lib`);
  await source.git('commit', '-q', '-m', 'a submodule');
  await source.git('checkout', '-q', '-b', 'side/branch', 'HEAD~3');
  await source.commit({ 'old.txt': 'one\n2\nthree\nfour\n' }, 'change on the side');
  await source.git('checkout', '-q', '-f', 'main');
  await source.git('merge', '-q', '--no-ff', '-m', 'merge the side', 'side/branch');
  await source.git('tag', '-a', '-m', 'x', 'v1.0', 'HEAD~1');
  return source;
}
