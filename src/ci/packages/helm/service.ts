import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { NotFound } from '../../../platform/http/errors.ts';
import { instant } from '../../../platform/http/schema.ts';
import { storedRecord } from '../../../platform/stored-json.ts';
import { send } from '../service.ts';
import { isChannel } from './chart.ts';
import * as store from './store.ts';

const atOnce = 50;

function requireChannel({ project }: ProjectSubject, channel: string): store.Channel {
  if (!isChannel(channel)) throw new NotFound();
  return { projectId: project.id, channel };
}

/** The index of a channel: its charts by name, those that were published last first. */
export async function sendIndex(services: Services, subject: ProjectSubject, asked: string, reply: FastifyReply) {
  const channel = requireChannel(subject, asked);
  const { helm_max_packages_count: most } = await services.settings.read();
  const { read } = services.db;
  const charts = Map.groupBy(await store.newestCharts(read, channel, most), ({ name }) => name);
  const { pathname } = new URL(`${services.externalUrl}/api/v4/projects/${subject.project.id}/packages/helm`);
  return reply.type('text/yaml; charset=utf-8').send(Readable.from(indexText(read, charts, pathname)));
}

/** The text of an index, made while its charts are read. What JSON says of a chart is YAML as well. */
async function* indexText(
  db: Reader,
  charts: ReadonlyMap<string, readonly { readonly file_id: number }[]>,
  contextPath: string,
): AsyncGenerator<string> {
  yield `apiVersion: v1\nentries:${charts.size === 0 ? ' {}' : ''}\n`;
  for (const name of [...charts.keys()].toSorted()) {
    yield `  ${JSON.stringify(name)}:\n`;
    const ids = (charts.get(name) ?? []).map(({ file_id }) => file_id);
    for (let start = 0; start < ids.length; start += atOnce) {
      const some = ids.slice(start, start + atOnce);
      const rows = new Map((await store.chartsOf(db, some)).map((row) => [row.file_id, row]));
      for (const id of some) {
        const row = rows.get(id);
        // One that was removed meanwhile is not there any more.
        if (row) yield `  - ${entryText(row)}\n`;
      }
    }
  }
  // By its path `helm cm-push` finds where charts are sent to.
  yield `generated: ${JSON.stringify(instant(Date.now()))}\nserverInfo:\n  contextPath: ${JSON.stringify(contextPath)}\n`;
}

function entryText({ metadata, file_name, sha256, created_at }: Awaited<ReturnType<typeof store.chartsOf>>[number]) {
  // A plus stays one: `helm dependency update` would escape what is escaped once more.
  const urls = [`charts/${file_name}`];
  return JSON.stringify({ ...storedRecord(metadata), created: instant(created_at), digest: sha256, urls });
}

/** Sends the newest file of a name in a channel. */
export async function sendChart(
  services: Services,
  subject: ProjectSubject,
  { channel, file_name }: { readonly channel: string; readonly file_name: string },
  reply: FastifyReply,
) {
  const file = await store.fileOf(services.db.read, requireChannel(subject, channel), file_name);
  if (!file) throw new NotFound();
  return send(services, { id: file.package_id, last_downloaded_at: file.last_downloaded_at }, file, reply);
}
