import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { strftime, zoneOf } from '../../../../src/code/changelog/template/strftime.ts';

const instants = [0, 951_782_400, 1_104_537_599, 1_230_768_000, 1_293_840_000, 1_600_000_000, 1_735_603_200];
const formats =
  '%Y %C %y %m %B %b %h %d %e %j %H %k %I %l %p %P %M %S %A %a %u %w %G %g %V %U %W %s %F %D %T %R %-d %_m %^B %3d %%';

describe('strftime', () => {
  for (const seconds of instants) {
    it(`formats ${seconds} like date(1)`, () => {
      const expected = execFileSync('date', ['-u', '-d', `@${seconds}`, `+${formats}`], {
        encoding: 'utf8',
        env: { ...process.env, LC_ALL: 'C' },
      });
      assert.equal(strftime(formats, { at: seconds * 1000, zone: 0 }), expected.trimEnd());
    });
  }

  const at = Date.UTC(2021, 1, 3, 23, 5, 6, 7);
  const cases: [format: string, zone: number, text: string][] = [
    ['%Y-%m-%d %z %:z %Z', 120, '2021-02-04 +0200 +02:00 +02:00'],
    ['%Z %z', 0, 'UTC +0000'],
    ['%F %T', -330, '2021-02-03 17:35:06'],
    ['%L %N', 0, '007 007000000'],
    ['%v', 0, ' 3-FEB-2021'],
    ['%#b %#p', 0, 'FEB pm'],
    ['%n%t|%Q %E', 0, '\n\t|%Q %E'],
    ['100%', 0, '100%'],
  ];
  for (const [format, zone, text] of cases) {
    it(`formats ${format}`, () => assert.equal(strftime(format, { at, zone }), text));
  }

  it('parses the UTC offset of a timestamp', () => {
    assert.deepEqual(
      ['2021-02-03', '2021-02-03T00:00:00Z', '2021-02-03T00:00:00+02:00', '2021-02-03T00:00:00-0530'].map(zoneOf),
      [0, 0, 120, -330],
    );
  });
});
