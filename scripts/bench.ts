// `npm run bench` comes here once everything is prepared.
import '../bench/main.ts';
