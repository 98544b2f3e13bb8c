import { DatabaseSync } from 'node:sqlite';
import Fastify from 'fastify';

/** The minimal durable error tracking server: Fastify, JSON parsing, one row inserted and counted in SQLite. */
const db = new DatabaseSync(process.argv[2] ?? ':memory:');
db.exec('pragma journal_mode = wal');
db.exec('pragma synchronous = full');
db.exec('create table events (id text primary key, title text, body text)');
db.exec('create table errors (title text primary key, count integer)');
const insert = db.prepare('insert into events values (?, ?, ?)');
const count = db.prepare('insert into errors values (?, 1) on conflict do update set count = count + 1');

interface Sent {
  readonly event_id: string;
  readonly exception: { readonly values: readonly { readonly type: string }[] };
}

const app = Fastify({ bodyLimit: 2 ** 24 });
app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
app.post('/envelope', (request, reply) => {
  const [, , body = ''] = String(request.body).split('\n');
  const { event_id, exception } = JSON.parse(body) as Sent;
  const title = exception.values[0]?.type ?? '';
  db.exec('begin immediate');
  insert.run(event_id, title, body);
  count.run(title);
  db.exec('commit');
  return reply.send({ id: event_id });
});
await app.listen({ port: 0, host: '127.0.0.1' });
process.stdout.write(`${JSON.stringify({ url: app.listeningOrigin })}\n`);
