import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createLogger } from '../../../src/platform/log.ts';
import { startServer } from '../../../src/server.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addPerson } from '../../support/scene.ts';
import { TestServer } from '../../support/server.ts';
import { ServerPlace } from '../../support/server-process.ts';
import { addTracked, counted, envelopeOf, errorsIn, exceptionEvent, post, report, type Tracked } from '../tracking.ts';

/** The fault points, and whether the event has been accepted by then and must not be lost. */
const steps: readonly (readonly [string, boolean])[] = [
  ['error-tracking.written', false],
  ['error-tracking.accepted', true],
  ['error-tracking.recorded', true],
];

forEachEngine((engine) => {
  for (const [step, accepted] of steps) {
    // The engines only differ in the database, so PostgreSQL is only tested while an accepted event is waiting in it.
    if (engine === 'postgres' && step !== 'error-tracking.accepted') continue;
    it(`an event is recorded once when the server dies at ${step}, also if sent again`, async () => {
      const place = await ServerPlace.make(engine);
      const withServer = async (work: (server: TestServer) => Promise<void>) => {
        const server = new TestServer(await startServer(place.config(), createLogger({ logLevel: 'error' })));
        await work(server).finally(() => server.running.close());
      };
      let tracked: Tracked | undefined;
      await withServer(async (server) => {
        tracked = await addTracked(server, await addPerson(server, 'owner'));
      });
      const { project, key } = tracked ?? assert.fail();
      const event = exceptionEvent();
      const served = await place.serve(step);
      const address = `${served.line}/api/${project.id}/envelope/?sentry_key=${key}`;
      await post(address, { body: envelopeOf(event) }).catch(() => undefined);
      await served.ended;
      await withServer(async (server) => {
        await counted(server);
        const before = await errorsIn(server, { ...tracked, project, key, dsn: '' });
        assert.equal(before.length, accepted ? 1 : 0);
        await report(server, { project, key, dsn: '' }, event);
        await counted(server);
        const after = await errorsIn(server, { project, key, dsn: '' });
        assert.deepEqual(
          after.map((row) => [row.event_count, row.kept_events]),
          [[1, 1]],
        );
      });
    });
  }
});
