import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

interface Found {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
  }[];
}

/** The axe script to inject into pages. */
export const { source } = createRequire(import.meta.url)('axe-core') as { source: string };

/** Runs axe on a page. Returns a line per violated rule with the first offending element. */
export async function findings(page: Page, rules?: readonly string[]): Promise<string[]> {
  // Reporting passed checks would take as long as finding the violations.
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) };
  // Check only the first lines of code, as the others are alike.
  const where = { exclude: [['table.code tr:nth-child(n + 50)']] };
  const { violations } = (await page.evaluate(
    `axe.run(${JSON.stringify(where)}, ${JSON.stringify(options)})`,
  )) as Found;
  return violations.map(({ id, nodes: [first] }) => `${id}: ${first?.html.slice(0, 200)} ${first?.failureSummary}`);
}
