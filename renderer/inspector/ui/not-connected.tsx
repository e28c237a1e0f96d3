/** The page was opened in a browser, where there is no queue to show. */
export function Lost() {
  return (
    <main className="lost">
      <h1>No queue here</h1>
      <p>This page works in the inspector’s window. Open it from your app with openInspector(…).</p>
    </main>
  );
}
