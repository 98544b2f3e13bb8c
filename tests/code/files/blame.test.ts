import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Project } from '../../../src/access/tables.ts';
import { forEachEngine } from '../../support/engines.ts';
import type { GitClient } from '../../support/git-client.ts';
import { addFilledProject } from '../../support/git-project.ts';
import { addPerson } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { oddRepository } from './odd-repository.ts';

let source: GitClient;
before(async () => {
  source = await oddRepository();
});

interface Range {
  readonly commit: Record<string, unknown>;
  readonly lines: string[];
}

/** The commit of every line as printed by git. */
async function gitBlame(path: string, ...flags: string[]): Promise<[string, string][]> {
  const printed = await source.git('blame', '-l', '--root', '-s', ...flags, 'main', '--', path);
  return printed.split('\n').map((line) => {
    const [, commit = '', text = ''] = /^([0-9a-f]{40}) (?:\S+ +)?\d+\) ?(.*)$/s.exec(line) ?? [];
    return [commit, text];
  });
}

/** Converts a date printed by git to the API's format. */
function withMilliseconds(date: string | undefined): string | undefined {
  return date?.replace('Z', '+00:00').replace(/(\d{2}:\d{2}:\d{2})/, '$1.000');
}

forEachEngine((engine) => {
  describe('blame', () => {
    let server: TestServer;
    let project: Project;
    const of = (path: string, query = '') =>
      `GET /projects/${project.id}/repository/files/${encodeURIComponent(path)}/blame?ref=main${query}`;

    before(async () => {
      server = await startTestServer(engine);
      project = await addFilledProject(server, await addPerson(server, 'owner'), 'odd', source, 'public');
    });

    it('returns the same commits per line as git', async () => {
      for (const path of ['old.txt', 'README.md', 'bom.txt', 'no-newline', 'link']) {
        const ranges: Range[] = await server.must(of(path), { token: null });
        const lines = ranges.flatMap(({ commit, lines: texts }) => texts.map((text) => [commit.id, text]));
        assert.deepEqual(lines, await gitBlame(path), path);
        for (const [i, range] of ranges.entries()) assert.notEqual(range.commit.id, ranges[i + 1]?.commit.id);
      }
    });

    it('includes the details of each commit', async () => {
      const [first]: Range[] = await server.must(of('old.txt'));
      const format = '%H%n%P%n%an%n%ae%n%cn%n%ce%n%aI%n%cI';
      const printed = await source.git('log', '-1', `--format=${format}`, String(first?.commit.id));
      const [id, parents, author, address, committer, other, authored, committed] = printed.split('\n');
      assert.deepEqual(first?.commit, {
        id,
        parent_ids: parents === '' ? [] : parents?.split(' '),
        message: 'first\n',
        authored_date: withMilliseconds(authored),
        author_name: author,
        author_email: address,
        committed_date: withMilliseconds(committed),
        committer_name: committer,
        committer_email: other,
      });
    });

    it('supports a range of lines', async () => {
      const ranges: Range[] = await server.must(of('old.txt', '&range[start]=2&range[end]=3'));
      const lines = ranges.flatMap(({ commit, lines: texts }) => texts.map((text) => [commit.id, text]));
      assert.deepEqual(lines, await gitBlame('old.txt', '-L2,3'));
      assert.deepEqual(await server.must(of('old.txt', '&range[start]=50&range[end]=60')), []);
      assert.deepEqual(await server.must(of('empty')), []);
      assert.deepEqual(await server.must(of('vendor/lib')), []);
    });

    const refused: [string, object][] = [
      ['&range[start]=1', { error: 'range[end] is missing, range[end] is empty' }],
      ['&range[end]=1', { error: 'range[start] is missing, range[start] is empty' }],
      ['&range=', { error: 'range[start] is empty, range[end] is empty' }],
      [
        '&range[start]=0&range[end]=-1',
        { error: 'range[start] does not have a valid value, range[end] does not have a valid value' },
      ],
      ['&range[start]=3&range[end]=1', { message: 'range[start] must be less than or equal to range[end]' }],
    ];
    for (const [query, body] of refused) {
      it(`rejects ${query}`, async () => {
        const answer = await server.api(of('old.txt', query));
        assert.deepEqual([answer.status, answer.body], [400, body]);
      });
    }
  });
});
