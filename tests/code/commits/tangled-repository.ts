import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { GitClient } from '../../support/git-client.ts';

const lines = (count: number, mark = '') => Array.from({ length: count }, (_, i) => `line ${i}${mark}\n`).join('');

/** A client with a fixed clock: every commit is one minute later than the previous one. */
class ClockedClient extends GitClient {
  #now = 1_700_000_000;

  override async commit(files: Record<string, string | Buffer>, message = 'change'): Promise<string> {
    this.tick();
    return super.commit(files, message);
  }

  tick(): void {
    this.#now += 60;
    this.env.GIT_AUTHOR_DATE = `${this.#now - 30} +0530`;
    this.env.GIT_COMMITTER_DATE = `${this.#now} -0300`;
  }
}

/**
 * A repository with renames, two authors, trailers, an octopus merge, odd messages, tags, a second root commit, and
 * more commits than a page.
 */
export async function tangledRepository(): Promise<GitClient> {
  const source = new ClockedClient();
  await source.init();
  await source.commit({ 'README.md': 'hello\n', 'src/a.txt': lines(30), 'bin.dat': Buffer.from([0, 1, 2]) }, 'root');
  for (let n = 0; n < 8; n++)
    await source.commit({ 'src/a.txt': lines(30, ` ${n}`), [`many/${n}`]: `${n}\n` }, `step ${n}`);
  renameSync(join(source.folder, 'src/a.txt'), join(source.folder, 'src/b.txt'));
  await source.commit({}, 'rename a to b');
  await source.commit(
    { 'src/b.txt': lines(31, ' after') },
    'change b\n\nSigned-off-by: Ann <ann@example.com>\nChangelog: added\nchangelog: twice\nChangelog: changed',
  );
  source.env.GIT_AUTHOR_NAME = 'Bob Builder';
  source.env.GIT_AUTHOR_EMAIL = 'bob@example.com';
  for (const name of ['one', 'two', 'three']) {
    await source.git('checkout', '-q', '-b', name, 'main');
    await source.commit({ [`${name}.txt`]: `${name}\n` }, `on ${name}`);
    await source.commit({ [`${name}.txt`]: `${name} again\n` }, `again on ${name}\n\nand why`);
  }
  await source.git('checkout', '-q', 'main');
  source.tick();
  await source.git('merge', '-q', '-m', 'octopus', 'one', 'two', 'three');
  source.env.GIT_AUTHOR_NAME = 'Ann Author';
  source.env.GIT_AUTHOR_EMAIL = 'ann@example.com';
  await source.git('config', 'i18n.commitEncoding', 'ISO-8859-1');
  await source.commit({ 'README.md': 'bye\n' }, 'encoded');
  await source.git('config', '--unset', 'i18n.commitEncoding');
  for (let n = 0; n < 12; n++) await source.commit({ 'counter.txt': `${n}\n` }, `count ${n}`);
  await source.commit({ 'package-lock.json': '{}\n', 'src/b.txt': lines(40), 'bin.dat': Buffer.from([0, 9]) }, 'last');
  await source.git('tag', '-a', '-m', 'x', 'v1.0', 'main~3');
  await source.git('tag', 'light', 'one');
  await source.git('checkout', '-q', '--orphan', 'other-root');
  await source.commit({ 'other.txt': 'x\n' }, 'another root');
  await source.git('checkout', '-q', '-f', 'main');
  return source;
}
