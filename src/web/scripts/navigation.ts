// Redirects of forms, and errors of failed submissions.

/** Redirects to a fragment; replaces the history entry if the page is the same. */
Turbo.StreamActions.go = function go() {
  const to = new URL(this.getAttribute('to') ?? '', location.href);
  Turbo.visit(to.href, { action: to.pathname === location.pathname ? 'replace' : 'advance' });
};

/** Finds the note in the URL's fragment on later pages of the discussion. */
async function findComment(): Promise<void> {
  const { hash, href } = location;
  if (!/^#note_\d+$/.test(hash) || document.getElementById(hash.slice(1))) return;
  let next = document.querySelector<HTMLAnchorElement>('nav.pager a[rel="next"]')?.href;
  while (next !== undefined) {
    const answer = await fetch(next);
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    if (location.href !== href) return;
    if (page.getElementById(hash.slice(1))) return Turbo.visit(next + hash, { action: 'replace' });
    const further: string | null | undefined = page.querySelector('nav.pager a[rel="next"]')?.getAttribute('href');
    next = further ? new URL(further, next).href : undefined;
  }
}

document.addEventListener('turbo:load', () => void findComment());

function showFailure(form: HTMLFormElement): void {
  const notice = form.querySelector(':scope > .notice') ?? document.createElement('p');
  notice.className = 'notice';
  notice.setAttribute('role', 'alert');
  notice.textContent = 'The server could not be reached. Your input is kept: try again in a moment.';
  form.append(notice);
}

// Otherwise the failure would be invisible.
document.addEventListener('turbo:fetch-request-error', (event) => {
  if (event.target instanceof HTMLFormElement) showFailure(event.target);
});
document.addEventListener('turbo:submit-start', (event) => {
  if (event.target instanceof HTMLFormElement) event.target.querySelector(':scope > .notice[role="alert"]')?.remove();
});

// A rejected form is rendered in place without a visit, so the handlers that prepare a page are triggered here.
let isVisiting = true;
document.addEventListener('turbo:visit', () => {
  isVisiting = true;
});
document.addEventListener('turbo:load', () => {
  isVisiting = false;
});
document.addEventListener('turbo:render', () => {
  if (!isVisiting) document.dispatchEvent(new CustomEvent('turbo:load'));
});
