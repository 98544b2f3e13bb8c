import { hash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import Fastify, { type FastifyRequest } from 'fastify';
import { token } from './seed.ts';

/** The minimal server of this kind: Fastify, a token lookup, one prepared statement, JSON. */
const db = new DatabaseSync(':memory:');
db.exec(
  'create table projects (id integer primary key, path text unique, name text, description text, visibility text)',
);
db.exec('create table labels (id integer primary key, project_id integer, title text, color text, description text)');
db.exec('create index labels_project on labels (project_id, title)');
db.exec("insert into projects values (1, 'bench/project', 'project', 'A project to be read', 'public')");
const insert = db.prepare('insert into labels (project_id, title, color, description) values (1, ?, ?, ?)');
for (let number = 0; number < 250; number += 1) insert.run(`label ${number}`, '#336699', 'A label to be listed');

// About as many columns and bytes as an issue of ours has, so that the size of the response is part of the floor.
const fields = Array.from({ length: 60 }, (_, index) => `field_${index}`);
db.exec(`create table issues (id integer primary key, project_id integer, ${fields.join(', ')})`);
db.exec('create index issues_project on issues (project_id, id)');
const insertIssue = db.prepare(`insert into issues values (null, 1, ${fields.map(() => '?').join(', ')})`);
const values = fields.map((_, index) => (index % 3 === 0 ? index : `a value of an issue in column ${index}`));
for (let number = 0; number < 250; number += 1) insertIssue.run(...values);

db.exec('create table tokens (id integer primary key, digest text unique, user_id integer)');
db.prepare('insert into tokens (digest, user_id) values (?, 1)').run(hash('sha256', token));

const tokenByDigest = db.prepare('select * from tokens where digest = ?');
const project = db.prepare('select * from projects where path = ?');
const labels = db.prepare('select * from labels where project_id = ? order by title limit 20');
const issue = db.prepare('select * from issues where id = ?');
const issues = db.prepare('select * from issues where project_id = ? order by id limit 20');

function requireToken(request: FastifyRequest): void {
  if (!tokenByDigest.get(hash('sha256', String(request.headers['private-token'])))) throw new Error('unknown token');
}

const app = Fastify();
app.get('/project/:path', (request, reply) => {
  requireToken(request);
  return reply.send(project.get((request.params as { path: string }).path));
});
app.get('/labels', (request, reply) => {
  requireToken(request);
  return reply.send(labels.all(1));
});
app.get('/issue', (request, reply) => {
  requireToken(request);
  return reply.send(issue.get(7));
});
app.get('/issues', (request, reply) => {
  requireToken(request);
  return reply.send(issues.all(1));
});
await app.listen({ port: 0, host: '127.0.0.1' });
process.stdout.write(`${JSON.stringify({ url: app.listeningOrigin })}\n`);
