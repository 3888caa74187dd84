<?php
// Words of 8 bytes that the processes of a test share, beside the cache that they test; each written by one process at a time.
final class Words
{
    private Shmop $memory;

    public function __construct(int $key, int $create = 0)
    {
        $this->memory = shmop_open($key, $create ? 'n' : 'w', 0600, $create * 8) ?: throw new Exception("no shared memory $key");
    }

    public function get(int $word): int
    {
        return unpack('P', shmop_read($this->memory, $word * 8, 8))[1];
    }

    public function set(int $word, int $value): void
    {
        shmop_write($this->memory, pack('P', $value), $word * 8);
    }

    public function delete(): void
    {
        shmop_delete($this->memory);
    }
}

/** A fault goes to a file at once: what has it may be killed. */
function fault(string $text): void
{
    file_put_contents(getenv('TEST_FAULTS'), $text . "\n", FILE_APPEND);
}
