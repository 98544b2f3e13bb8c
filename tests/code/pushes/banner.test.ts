import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient, withCredentials } from '../../support/git-client.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';
import type { Person } from '../../support/scene.ts';

forEachEngine((engine) => {
  describe('broadcast banners in push output', () => {
    let place: ProjectWithRoles;
    const source = new GitClient();
    let number = 0;

    before(async () => {
      await source.init();
      await source.commit({ a: '1' }, 'root');
      place = await projectWithRoles(engine, 'told', source);
    });

    const tell = (message: string, details: Record<string, unknown> = {}) =>
      place.server.must('POST /broadcast_messages', { json: { message, broadcast_type: 'banner', ...details } });
    /** The lines between the two rulers in the push output. */
    const shown = async (person: Person): Promise<string[] | undefined> => {
      number += 1;
      const path = `${place.owner.user.username}/${place.project.path}`;
      const url = withCredentials(place.server.url, path, person.user.username, person.token);
      const { code, stderr } = await source.run('push', url, `HEAD:refs/heads/branch-${number}`);
      assert.equal(code, 0, stderr);
      assert.match(stderr, /To create a merge request for/);
      const lines = stderr.split('\n').map((line) => line.replace(/^remote: ?/, '').trimEnd());
      const [first, last] = [lines.findIndex(isRule), lines.findLastIndex(isRule)];
      return first < 0 ? undefined : lines.slice(first + 1, last).filter((line) => line !== '');
    };
    const isRule = (line: string) => /^={72}$/.test(line);

    it('show the latest active banner for the user and project', async () => {
      const { developer, owner } = place;
      assert.equal(await shown(developer), undefined);
      await tell('A note', { broadcast_type: 'notification' });
      await tell('Over', { starts_at: '2001-01-01T00:00:00Z', ends_at: '2001-01-02T00:00:00Z' });
      await tell('Elsewhere', { target_path: '/other/*' });
      assert.equal(await shown(developer), undefined);
      await tell('Down at **noon**\n\u001b[31mRed', {});
      assert.deepEqual(await shown(developer), ['Down at **noon**', '[31mRed']);
      await tell('For owners', { target_access_levels: [50] });
      assert.deepEqual(await shown(developer), ['Down at **noon**', '[31mRed']);
      assert.deepEqual(await shown(owner), ['For owners']);
      await tell('Here', { target_path: `/${owner.user.username.toUpperCase()}/*` });
      await tell('All again');
      assert.deepEqual(await shown(owner), ['Here']);
    });
  });
});
