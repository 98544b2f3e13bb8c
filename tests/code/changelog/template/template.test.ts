import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fillTemplate } from '../../../../src/code/changelog/template/fill.ts';
import { parseTemplate } from '../../../../src/code/changelog/template/parse.ts';
import { TemplateError, type TemplateValue, templateLimits } from '../../../../src/code/changelog/template/template.ts';

const data: TemplateValue = {
  name: 'Hearth',
  list: ['a', 'b'],
  people: [{ name: 'Ann', tags: ['x', 'y'] }, { name: 'Bob' }],
  deep: { er: { value: 7 } },
  zero: 0,
  yes: true,
  no: false,
  nothing: null,
  empty: '',
  none: [],
  hash: {},
};

const printed: [template: string, text: string][] = [
  ['plain', 'plain'],
  ['{{ name }} {{name}}', 'Hearth Hearth'],
  ['{{ deep.er.value }}', '7'],
  ['{{ list.1 }}{{ list.7 }}', 'b'],
  ['{{ nobody.there }}', ''],
  ['{{ nothing }}|{{ no }}|{{ yes }}', '|false|true'],
  ['{{ constructor }}{{ list.length }}{{ __proto__ }}', ''],
  ['{% each list %}[{{ it }}]{% end %}', '[a][b]'],
  ['{% each people %}{{ name }}:{% each tags %}{{ it }}{% end %};{% end %}', 'Ann:xy;Bob:;'],
  ['{% each people %}{{ deep.er.value }}{% end %}', ''],
  ['{% each name %}never{% end %}{% each hash %}never{% end %}', ''],
  ['{% if name %}yes{% else %}no{% end %}', 'yes'],
  ['{% if none %}yes{% else %}no{% end %}', 'no'],
  ['{% if hash %}y{% end %}{% if empty %}y{% end %}{% if nothing %}y{% end %}{% if no %}y{% end %}', ''],
  ['{% if zero %}zero holds{% end %}', 'zero holds'],
  ['{% if name %}\nline\n{% end %}\nafter', 'line\nafter'],
  ['{{ name }}\nnext', 'Hearth\nnext'],
  ['{%if name%}x{%end%}', 'x'],
  ['one\\\ntwo', 'onetwo'],
  ['a \\ b \\n', 'a \\ b \\n'],
  ['{ single } {a}', '{ single } {a}'],
];

const malformed = [
  '{{ name',
  '{{ }}',
  '{{ a-b }}',
  '{{ 12345678901 }}',
  '{{ a. }}',
  '{% if name %}',
  '{% end %}',
  '{% else %}',
  '{% each list %}{% else %}{% end %}',
  '{% if a %}{% else %}{% else %}{% end %}',
  '{% unless a %}{% end %}',
  '{% if a && b %}{% end %}',
  '{%',
];

describe('changelog templates', () => {
  for (const [template, text] of printed) {
    it(`renders ${JSON.stringify(template)}`, () => assert.equal(fillTemplate(parseTemplate(template), data), text));
  }

  for (const template of malformed) {
    it(`rejects ${JSON.stringify(template)}`, () => {
      assert.throws(() => parseTemplate(template), /^TemplateError: Failed to parse the template: .* at line 1$/);
    });
  }

  it('allows up to four nested loops', () => {
    const nested = (depth: number) => '{% each list %}'.repeat(depth) + '{% end %}'.repeat(depth);
    parseTemplate(nested(4));
    assert.throws(() => parseTemplate(nested(5)), { message: 'You can only nest up to 4 loops' });
  });

  it('rejects excessively nested conditions', () => {
    assert.throws(() => parseTemplate('{% if a %}'.repeat(50_000)), TemplateError);
  });

  it('aborts when the step limit is exceeded', () => {
    const loop = `${'{% each list %}'.repeat(4)}{{ it }}${'{% end %}'.repeat(4)}`;
    const nodes = parseTemplate(loop.replaceAll('each list', 'each it'));
    const wide = (depth: number): TemplateValue =>
      Array.from({ length: 60 }, () => (depth > 1 ? wide(depth - 1) : 'x'));
    assert.throws(() => fillTemplate(nodes, wide(4)), { message: /^Template parser timeout/ });
    const text = 'x'.repeat(1_000_000);
    const many = { list: Array.from({ length: 100 }, () => text) };
    assert.throws(() => fillTemplate(parseTemplate('{% each list %}{{ it }}{% end %}'), many), TemplateError);
    assert.equal(templateLimits.loops, 4);
  });
});
