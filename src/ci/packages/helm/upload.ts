import type { FastifyRequest } from 'fastify';
import type { Actor } from '../../../access/actor.ts';
import { planLimits } from '../../../access/limits/plan-limits.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { UploadedFile } from '../../../platform/http/bodies/upload.ts';
import { BadRequest, ParameterError } from '../../../platform/http/errors.ts';
import { withForm } from '../form.ts';
import { requireUnprotected } from '../protection/guard.ts';
import { publishFile } from '../store-file.ts';
import { BadArchive, fileOfTar } from '../tar-files.ts';
import { type Chart, chartFileName, isChannel, readChart } from './chart.ts';
import { insertFile } from './store.ts';

const mebibyte = 1024 ** 2;
/** Helm refuses charts that unpack to more than 100 MB. */
const limits = { bytes: 100 * mebibyte, entries: 20_000, file: mebibyte / 4 };
/** Nested charts have a Chart.yaml as well, so only the top level matches. */
const chartFile = /^(?:\.\/)?[^/]+\/Chart\.yaml$/;

/** Publishes a chart uploaded by `helm cm-push`. Name and version are read from the chart. */
export async function receiveChart(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  channel: string,
  request: FastifyRequest,
): Promise<void> {
  const maxSize = (await planLimits(services.db.read)).helm_max_file_size;
  await withForm(services, request, { name: 'chart', maxSize }, async ({ chart: content }) => {
    if (!(content instanceof UploadedFile)) throw new ParameterError('chart is missing');
    if (!isChannel(channel)) throw new ParameterError('channel is invalid');
    await publish(services, caller, subject, { channel, content, chart: await chartIn(content), maxSize });
  });
}

async function chartIn(content: UploadedFile): Promise<Chart> {
  const source = await fileOfTar(content.open(), chartFile, limits).catch((error: unknown) => {
    throw error instanceof BadArchive ? new BadRequest(`The chart cannot be unpacked: ${error.message}`) : error;
  });
  if (!source) throw new BadRequest('The chart has no Chart.yaml');
  const chart = readChart(source.toString());
  if (!chart) throw new BadRequest('Chart.yaml is invalid');
  return chart;
}

interface Upload {
  readonly channel: string;
  readonly content: UploadedFile;
  readonly chart: Chart;
  readonly maxSize: number;
}

async function publish(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  { channel, content, chart, maxSize }: Upload,
): Promise<void> {
  const { name, version } = chart;
  const named = { package_type: 'helm' as const, name, version, file_name: chartFileName(chart) };
  await requireUnprotected(services, caller, subject, named, 'push');
  await publishFile(services, caller, subject, {
    ...{ ...named, content: content.open(), maxSize },
    joinFile: (trx, { id: file_id, file_name }) =>
      insertFile(trx, {
        file_id,
        project_id: subject.project.id,
        channel,
        file_name,
        metadata: JSON.stringify(chart),
      }),
  });
}
