// Brings the page up to date in place: what has not changed stays as it is, with its focus, selection and scroll.
const EVERY_MS = 2000;
const live = document.getElementById('live');

async function update() {
  const asking = new AbortController();
  const patience = setTimeout(() => asking.abort(), EVERY_MS * 2);
  try {
    const reply = await fetch('/', { signal: asking.signal, cache: 'no-store' });
    if (!reply.ok) throw new Error(`${reply.status}`);
    const next = new DOMParser().parseFromString(await reply.text(), 'text/html');
    document.title = next.title;
    patch(document.body, next.body);
    say('');
  } catch {
    say('The health service does not answer; what stands here is old.');
  } finally {
    clearTimeout(patience);
    setTimeout(update, EVERY_MS);
  }
}

/** Said once: screen readers read it out whenever it is set. */
function say(words) {
  if (live.textContent !== words) live.textContent = words;
  document.body.classList.toggle('old', words !== '');
}

/** Makes one element look like another, with as few changes as its shape allows. */
function patch(old, next) {
  if (old.id === 'live') return;
  for (const { name, value } of next.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  for (const { name } of [...old.attributes]) if (!next.hasAttribute(name)) old.removeAttribute(name);
  let at = old.firstChild;
  for (const node of [...next.childNodes]) {
    at = dropUntil(at, node);
    if (at === null || (at.id && at.id !== node.id)) old.insertBefore(node, at);
    else if (at.nodeName !== node.nodeName || at.id !== node.id) {
      at.replaceWith(node);
      at = node.nextSibling;
    } else {
      if (node.nodeType === Node.ELEMENT_NODE) patch(at, node);
      else if (at.nodeValue !== node.nodeValue) at.nodeValue = node.nodeValue;
      at = at.nextSibling;
    }
  }
  while (at !== null) at = dropped(at);
}

/** What has an id is the same thing wherever it stands: what stands before it, and is not wanted there, goes. */
function dropUntil(at, node) {
  const known = node.id ? document.getElementById(node.id) : null;
  if (known === null || at === null || known.parentNode !== at.parentNode) return at;
  let rest = at;
  while (rest !== known && rest !== null) rest = dropped(rest);
  return rest;
}

function dropped(node) {
  const following = node.nextSibling;
  node.remove();
  return following;
}

setTimeout(update, EVERY_MS);
