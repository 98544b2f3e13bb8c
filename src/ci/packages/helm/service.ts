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

const batchSize = 50;

function requireChannel({ project }: ProjectSubject, channel: string): store.Channel {
  if (!isChannel(channel)) throw new NotFound();
  return { projectId: project.id, channel };
}

/** Sends the index of a channel: charts by name, latest first. */
export async function sendIndex(services: Services, subject: ProjectSubject, channelName: string, reply: FastifyReply) {
  const channel = requireChannel(subject, channelName);
  const { helm_max_packages_count: maxCharts } = await services.settings.read();
  const { read } = services.db;
  const charts = Map.groupBy(await store.newestCharts(read, channel, maxCharts), ({ name }) => name);
  const { pathname } = new URL(`${services.externalUrl}/api/v4/projects/${subject.project.id}/packages/helm`);
  return reply.type('text/yaml; charset=utf-8').send(Readable.from(indexText(read, charts, pathname)));
}

/** Streams the text of an index. The JSON of a chart is valid YAML. */
async function* indexText(
  db: Reader,
  charts: ReadonlyMap<string, readonly { readonly file_id: number }[]>,
  contextPath: string,
): AsyncGenerator<string> {
  yield `apiVersion: v1\nentries:${charts.size === 0 ? ' {}' : ''}\n`;
  for (const name of [...charts.keys()].toSorted()) {
    yield `  ${JSON.stringify(name)}:\n`;
    const ids = (charts.get(name) ?? []).map(({ file_id }) => file_id);
    for (let start = 0; start < ids.length; start += batchSize) {
      const some = ids.slice(start, start + batchSize);
      const rows = new Map((await store.chartsOf(db, some)).map((row) => [row.file_id, row]));
      for (const id of some) {
        const row = rows.get(id);
        // The chart was deleted in the meantime.
        if (row) yield `  - ${entryText(row)}\n`;
      }
    }
  }
  // `helm cm-push` derives the upload URL from this path.
  yield `generated: ${JSON.stringify(instant(Date.now()))}\nserverInfo:\n  contextPath: ${JSON.stringify(contextPath)}\n`;
}

function entryText({ metadata, file_name, sha256, created_at }: Awaited<ReturnType<typeof store.chartsOf>>[number]) {
  // Not percent-encoded, because `helm dependency update` would escape it a second time.
  const urls = [`charts/${file_name}`];
  return JSON.stringify({ ...storedRecord(metadata), created: instant(created_at), digest: sha256, urls });
}

/** Sends the latest file with a name in a channel. */
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
