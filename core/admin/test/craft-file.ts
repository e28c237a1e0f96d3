/** A program that crafts a file, for the tests in Electron, which import no code of the product: `craft-file.ts index|schema PATH`. */
import { craftIndex, craftSchema } from './crafted-tree.ts';

const [craft, path = ''] = process.argv.slice(2);
if (craft === 'schema') craftSchema(path);
else craftIndex(path, 'harel_transport_messages_out_of_turn');
