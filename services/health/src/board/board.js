// Updates the page in place: unchanged elements keep their focus, selection and scroll position.
const EVERY_MS = 2000;
const live = document.getElementById('live');

async function update() {
  const request = new AbortController();
  const timeout = setTimeout(() => request.abort(), EVERY_MS * 2);
  try {
    const reply = await fetch('/', { signal: request.signal, cache: 'no-store' });
    if (!reply.ok) throw new Error(`${reply.status}`);
    const next = new DOMParser().parseFromString(await reply.text(), 'text/html');
    document.title = next.title;
    patch(document.body, next.body);
    announce('');
  } catch {
    announce('The health service does not answer; this page is outdated.');
  } finally {
    clearTimeout(timeout);
    setTimeout(update, EVERY_MS);
  }
}

/** Sets the message only when it changes, because screen readers read it out whenever it is set. */
function announce(words) {
  if (live.textContent !== words) live.textContent = words;
  document.body.classList.toggle('old', words !== '');
}

/** Changes one element into another, with as few changes to the document as possible. */
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

/** An element with an id keeps its identity: the siblings before it that are not in the new page are removed. */
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
