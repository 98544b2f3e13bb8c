import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

interface Found {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
  }[];
}

/** The script that does the looking. */
export const { source } = createRequire(import.meta.url)('axe-core') as { source: string };

/** What axe finds on a page: a line for each rule, with the first element that breaks it. */
export async function findings(page: Page, rules?: readonly string[]): Promise<string[]> {
  // Telling what is right about every element takes as long as finding what is wrong.
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) };
  // A line of code is like the fifty before it.
  const where = { exclude: [['table.code tr:nth-child(n + 50)']] };
  const { violations } = (await page.evaluate(
    `axe.run(${JSON.stringify(where)}, ${JSON.stringify(options)})`,
  )) as Found;
  return violations.map(({ id, nodes: [first] }) => `${id}: ${first?.html.slice(0, 200)} ${first?.failureSummary}`);
}
