--TEST--
Cache::stats()
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$c->set('a', 1);
$c->set('gone', 1, 0.001);
$stats = $c->stats();
same(['backend', 'entries', 'used_memory', 'max_memory', 'hits', 'misses', 'evicted', 'expired', 'tags', 'tag_memberships'], array_slice(array_keys($stats), 0, 10), 'names');
same(['decoded_entries', 'decoded_bytes', 'decoded_limit', 'decoded_hits', 'decoded_misses', 'decoded_evictions'], array_slice(array_keys($stats), 10, 6), 'names of decoded values');
same(is_shared_run() ? 'shared' : 'local', $stats['backend'], 'backend');
same(true, $stats['entries'] >= 1 && $stats['used_memory'] > 0 && $stats['used_memory'] <= $stats['max_memory'], 'figures');
same(is_shared_run(), isset($stats['mapping_size'], $stats['mapping_bytes']) && $stats['mapping_bytes'] > 0, 'the mapping');
same(268435456, $stats['max_memory'], 'the default size');
echo 'done';
?>
--EXPECT--
done
