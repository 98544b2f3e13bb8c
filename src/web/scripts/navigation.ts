// Where a form leads to, and what is said where it leads nowhere.

/** To a part of a page that has changed: of the page that is open, it takes the place. */
Turbo.StreamActions.go = function go() {
  const to = new URL(this.getAttribute('to') ?? '', location.href);
  Turbo.visit(to.href, { action: to.pathname === location.pathname ? 'replace' : 'advance' });
};

/** The rest of a long discussion is on pages of its own: looks there for the comment that the address names. */
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

function tellFailure(form: HTMLFormElement): void {
  const notice = form.querySelector(':scope > .notice') ?? document.createElement('p');
  notice.className = 'notice';
  notice.setAttribute('role', 'alert');
  notice.textContent = 'The server could not be reached. What you typed is still here: send it again in a moment.';
  form.append(notice);
}

// Nothing else would be seen of it.
document.addEventListener('turbo:fetch-request-error', (event) => {
  if (event.target instanceof HTMLFormElement) tellFailure(event.target);
});
document.addEventListener('turbo:submit-start', (event) => {
  if (event.target instanceof HTMLFormElement) event.target.querySelector(':scope > .notice[role="alert"]')?.remove();
});

// A form that is refused is drawn again where it was, which is no visit: what fits a page out is told as after one.
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
