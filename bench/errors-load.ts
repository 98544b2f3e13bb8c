import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';

/** Sends distinct events to a URL: `errors-load.ts <url> <count> <bytes> <groups> [connections]`. */
const [, , address = '', countText = '0', sizeText = '0', groupsText = '1', connectionsText = '32'] = process.argv;
const [count, size, groups, connections] = [countText, sizeText, groupsText, connectionsText].map(Number) as [
  number,
  number,
  number,
  number,
];

const idLength = 32;
const marker = 'f'.repeat(idLength);

/** Creates an event of about the given size, with stack trace and breadcrumbs as SDKs send them. */
function eventOf(group: number): Buffer {
  const frame = (index: number) => ({
    function: index === 0 ? `work_${group}` : `call_${index}`,
    module: `app.module_${index}`,
    filename: `app/module_${index}.py`,
    abs_path: `/srv/releases/20261115/app/module_${index}.py`,
    lineno: 10 + index,
    in_app: true,
    ...(size < 5000
      ? {}
      : {
          pre_context: Array.from({ length: 5 }, (_, line) => `    value_${line} = compute(${line}, ${index})`),
          context_line: `    return module_${index}.run(request, user=user, retries=${index})`,
          post_context: Array.from({ length: 5 }, (_, line) => `    log.info("step %d of %d", ${line}, ${index})`),
          vars: { request: '<Request GET /things>', index: `${index}`, user: `<User ${index}>`, retries: index },
        }),
  });
  const breadcrumb = (index: number) => ({
    timestamp: 1_700_000_000 + index,
    category: 'query',
    message: `select * from things where id = ${index} and owner_id = ${index * 7}`,
    level: 'info',
    data: { rows: index, milliseconds: index % 17 },
  });
  const event = {
    event_id: marker,
    platform: 'python',
    level: 'error',
    environment: 'production',
    release: 'bench@1.0.0',
    user: { id: `${group}` },
    exception: {
      values: [{ type: `BenchError${group}`, value: `number ${group} failed`, stacktrace: { frames: [] as object[] } }],
    },
    breadcrumbs: { values: [] as object[] },
  };
  const frames = event.exception.values[0]?.stacktrace.frames ?? [];
  for (let index = 0; JSON.stringify(event).length < size; index += 1) {
    if (frames.length < 50) frames.unshift(frame(index));
    else event.breadcrumbs.values.push(breadcrumb(index));
  }
  return Buffer.from(`{"sdk":{"name":"sentry.python"}}\n{"type":"event"}\n${JSON.stringify(event)}\n`);
}

const bodies = Array.from({ length: groups }, (_, group) => eventOf(group));
const agent = new Agent({ keepAlive: true, maxSockets: connections });

function send(body: Buffer): Promise<number> {
  const own = Buffer.from(body);
  own.write(randomBytes(idLength / 2).toString('hex'), own.indexOf(marker));
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/x-sentry-envelope', 'content-length': own.length };
    const sending = request(address, { method: 'POST', agent, headers }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode ?? 0));
    });
    sending.on('error', reject);
    sending.end(own);
  });
}

let sent = 0;
async function connection(): Promise<void> {
  while (sent < count) {
    const status = await send(bodies[sent++ % groups] as Buffer);
    if (status !== 200) throw new Error(`an event was answered with ${status}`);
  }
}

const from = performance.now();
await Promise.all(Array.from({ length: connections }, connection));
process.stdout.write(`${JSON.stringify({ ms: performance.now() - from })}\n`);
process.exit(0);
