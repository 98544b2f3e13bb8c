import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type GraphJob, graphPicture, layoutGraph } from '../../src/web/ci/graph.ts';
import { readVariables } from '../../src/web/ci/run.ts';
import { assertHarmless, hostile } from '../support/hostile-texts.ts';

const job = (id: number, name: string, stage_index: number, needs: string[] | null = null): GraphJob => ({
  id,
  name,
  kind: 'build',
  stage: `stage ${stage_index}`,
  stage_index,
  status: 'success',
  needs,
});

describe('pipeline graph', () => {
  it('has a column per stage, regardless of retried job IDs', () => {
    const graph = layoutGraph([job(9, 'build', 0), job(2, 'test', 1), job(3, 'lint', 1), job(4, 'ship', 2)]);
    assert.deepEqual(
      graph.stages.map(({ name }) => name),
      ['stage 0', 'stage 1', 'stage 2'],
    );
    const at = new Map(graph.nodes.map(({ job: { name }, x, y }) => [name, [x, y]]));
    assert.deepEqual(at.get('build'), [0, 34]);
    assert.deepEqual(
      [at.get('lint'), at.get('test')],
      [
        [250, 34],
        [250, 88],
      ],
    );
  });

  it('has an edge per need within the pipeline', () => {
    const graph = layoutGraph([job(1, 'a', 0), job(2, 'b', 0, ['a']), job(3, 'c', 1, ['a', 'b', 'not here'])]);
    const drawn = graph.edges.map(({ from, to }) => `${from.job.name}>${to.job.name}`);
    assert.deepEqual(drawn, ['a>b', 'a>c', 'b>c']);
  });

  it('is left out if empty or too large, and escapes names', () => {
    assert.equal(graphPicture([], '/p'), false);
    assert.equal(
      graphPicture(
        Array.from({ length: 201 }, (_, at) => job(at, `j${at}`, 0)),
        '/p',
      ),
      false,
    );
    const picture = graphPicture([job(1, hostile.attribute, 0), job(2, hostile.element, 1, [hostile.attribute])], '/p');
    assert.ok(picture);
    assertHarmless(picture.text, 'graph');
    assert.match(picture.text, /<path class="need"[\s\S]*href="\/p\/-\/jobs\/1"[\s\S]*marker2/);
  });
});

describe('pipeline variables', () => {
  it('are parsed one per line', () => {
    assert.deepEqual(readVariables('A=1\r\n\r\n B =x=y\nbare'), [
      { key: 'A', value: '1' },
      { key: 'B', value: 'x=y' },
      { key: 'bare', value: '' },
    ]);
  });
});
