import journal from './meta/_journal.json';
import m0000 from './0000_session.sql';
import m0001 from './0001_bounds.sql';
import m0002 from './0002_loop.sql';
import m0003 from './0003_notices.sql';
import m0004 from './0004_said_at.sql';
import m0005 from './0005_context.sql';
import m0006 from './0006_said.sql';
import m0007 from './0007_input_digest.sql';
import m0008 from './0008_prompts.sql';
import m0009 from './0009_skill_snapshot.sql';
import m0010 from './0010_memory_pages.sql';
import m0011 from './0011_standard_names.sql';
import m0012 from './0012_outbox_drafts.sql';
import m0013 from './0013_location.sql';
import m0014 from './0014_lost_deliveries.sql';
import m0015 from './0015_processes.sql';

  export default {
    journal,
    migrations: {
      m0000,
m0001,
m0002,
m0003,
m0004,
m0005,
m0006,
m0007,
m0008,
m0009,
m0010,
m0011,
m0012,
m0013,
m0014,
m0015
    }
  }
  