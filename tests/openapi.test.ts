import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { createGates } from '../src/access/gates.ts';
import { routesOf } from '../src/areas.ts';
import { openApiPath } from '../src/platform/http/openapi.ts';
import { compiledSchemas } from '../src/platform/http/responses/serializer.ts';
import { startTestServer, type TestServer } from './support/server.ts';

interface Schema {
  readonly title?: string;
  readonly properties?: object;
  readonly items?: Schema;
}

describe('OpenAPI document', () => {
  let server: TestServer;
  let compiledBefore: number;
  let compiledAtStart: number;

  before(async () => {
    compiledBefore = compiledSchemas();
    server = await startTestServer('sqlite');
    compiledAtStart = compiledSchemas();
  });

  it('costs nothing at startup: schemas are compiled on first use', async () => {
    assert.equal(compiledAtStart, compiledBefore);
    await server.must('GET /version');
    const used = compiledSchemas();
    // None if another test file in this process has compiled it already.
    assert.ok(used <= compiledAtStart + 1, `${used - compiledAtStart} schemas compiled for one response`);
    await server.must('GET /version');
    assert.equal(compiledSchemas(), used);
  });

  it('is valid', async () => {
    const document = await server.must('GET /openapi.json', { token: null });
    const result = await new Validator().validate(document);
    assert.deepEqual(result.errors ?? [], []);
    assert.equal(result.valid, true);
  });

  it('declares every response field', async () => {
    const { components } = await server.must('GET /openapi.json', { token: null });
    const { services } = server.running;
    for (const { responses } of routesOf(services, createGates(services.db, services.externalUrl)))
      for (const answer of Object.values(responses as unknown as Record<string, Schema | undefined>)) {
        const { title, properties } = answer?.items ?? answer ?? {};
        if (title === undefined) continue;
        assert.deepEqual(Object.keys(components.schemas[title].properties), Object.keys(properties ?? {}), title);
      }
  });

  it('contains every route, with unique parameter names', async () => {
    const document = await server.must('GET /openapi.json', { token: null });
    const { services } = server.running;
    for (const route of routesOf(services, createGates(services.db, services.externalUrl))) {
      const operation = document.paths[openApiPath(route.path)]?.[route.method.toLowerCase()];
      assert.ok(operation, `${route.method} ${route.path}`);
      const names = operation.parameters.map((one: { name: string; in: string }) => `${one.in}:${one.name}`);
      assert.equal(new Set(names).size, names.length, `${route.method} ${route.path}: ${names}`);
    }
  });

  it('has unique operation IDs', async () => {
    const document = await server.must('GET /openapi.json', { token: null });
    const ids = Object.values(document.paths as Record<string, Record<string, { operationId: string }>>).flatMap(
      (path) => Object.values(path).map((operation) => operation.operationId),
    );
    assert.deepEqual(
      ids.filter((id, index) => ids.indexOf(id) !== index),
      [],
    );
  });
});
