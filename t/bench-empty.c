/*
 * bench-empty: does nothing. What starting and ending any static program costs in time and memory.
 */
int main(void)
{
    return 0;
}
