import { DatabaseSync } from 'node:sqlite';
import Fastify from 'fastify';

/** The least a server of this kind can do: Fastify, one prepared statement, JSON. What Hearth does is measured against it. */
const db = new DatabaseSync(':memory:');
db.exec(
  'create table projects (id integer primary key, path text unique, name text, description text, visibility text)',
);
db.exec('create table labels (id integer primary key, project_id integer, title text, color text, description text)');
db.exec('create index labels_project on labels (project_id, title)');
db.exec("insert into projects values (1, 'bench/project', 'project', 'A project to be read', 'public')");
const insert = db.prepare('insert into labels (project_id, title, color, description) values (1, ?, ?, ?)');
for (let number = 0; number < 250; number += 1) insert.run(`label ${number}`, '#336699', 'A label to be listed');

const project = db.prepare('select * from projects where path = ?');
const labels = db.prepare('select * from labels where project_id = ? order by title limit 20');

const app = Fastify();
app.get('/project/:path', (request, reply) => reply.send(project.get((request.params as { path: string }).path)));
app.get('/labels', (_request, reply) => reply.send(labels.all(1)));
await app.listen({ port: 0, host: '127.0.0.1' });
process.stdout.write(`${JSON.stringify({ url: app.listeningOrigin })}\n`);
